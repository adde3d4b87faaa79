"""The verb `reward`: what a patch is worth to who learns, by evidence alone."""
