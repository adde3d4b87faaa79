"""The Python API: the same verbs as every face's, typed; `import understudy` gives all of it."""
