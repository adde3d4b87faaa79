"""The one door to other programs: launching, draining, measuring and ending them."""
