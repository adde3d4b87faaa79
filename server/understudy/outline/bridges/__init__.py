"""What a grammar misreads, and what stands for it while it reads."""
