"""What C, C++, Objective-C and CUDA files say by their syntax."""
