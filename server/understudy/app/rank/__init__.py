"""The verb `rank`: many patches for one task, judged beside each other and put in order."""
