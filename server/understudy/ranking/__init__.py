"""Repository maps: which declarations of many files matter most, and their text."""
