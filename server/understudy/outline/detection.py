"""Which language a file is in: by its name, else by its first line."""

from __future__ import annotations

import re

_BY_SUFFIX = """
ada: adb ads
astro: astro
bash: bash sh zsh ksh bats
c: c h
clojure: clj cljc cljs edn
cmake: cmake
commonlisp: lisp lsp
cpp: cc cpp cxx c++ hh hpp hxx h++ ipp tpp inl
csharp: cs csx
css: css
cuda: cu cuh
d: d di
dart: dart
elisp: el
elixir: ex exs
elm: elm
erlang: erl hrl
fish: fish
fortran: f90 f95 f03 f08
fsharp: fs fsx
gdscript: gd
gleam: gleam
glsl: glsl vert frag
go: go
graphql: graphql gql
groovy: groovy gradle
hack: hack
haskell: hs
haxe: hx
hcl: hcl
html: html htm xhtml
java: java
javascript: js mjs cjs jsx
json: json jsonc json5 webmanifest
jsonnet: jsonnet libsonnet
julia: jl
kotlin: kt kts
latex: tex sty cls
lua: lua
luau: luau
make: mk
markdown: md markdown mdx
matlab: m
nim: nim
nix: nix
objc: mm
ocaml: ml
ocaml_interface: mli
odin: odin
pascal: pas pp
perl: pl pm
php: php phtml php5
powershell: ps1 psm1
prisma: prisma
proto: proto
purescript: purs
python: py pyi pyw
r: r
racket: rkt
rst: rst
ruby: rb rake gemspec ru
rust: rs
scala: scala sc
scheme: scm ss
scss: scss
smithy: smithy
solidity: sol
sql: sql
starlark: bzl star
svelte: svelte
swift: swift
tcl: tcl
terraform: tf tfvars
thrift: thrift
toml: toml
tsx: tsx
typescript: ts mts cts
typst: typ
v: v
verilog: sv svh vh
vhdl: vhd vhdl
vim: vim
vue: vue
wgsl: wgsl
xml: xml xsd xsl svg
yaml: yaml yml
zig: zig
"""
_BY_NAME = """
bash: .bashrc .bash_profile .bash_aliases .profile .zshrc .zprofile PKGBUILD
cmake: CMakeLists.txt
dockerfile: Dockerfile Containerfile
elixir: mix.lock
go: go.work
gomod: go.mod
groovy: Jenkinsfile
json: .babelrc .eslintrc .prettierrc composer.lock flake.lock
make: Makefile makefile GNUmakefile Kbuild
meson: meson.build meson_options.txt
python: SConstruct SConscript wscript
ruby: Gemfile Rakefile Vagrantfile Guardfile Podfile Brewfile Fastfile
starlark: BUILD BUILD.bazel WORKSPACE WORKSPACE.bazel
toml: Cargo.lock poetry.lock uv.lock Pipfile pdm.lock
"""
_BY_PROGRAM = (
    (re.compile(rb"^(?:python|pypy)"), "python"),
    (re.compile(rb"^(?:node|nodejs|bun)"), "javascript"),
    (re.compile(rb"^(?:deno|ts-node|tsx)"), "typescript"),
    (re.compile(rb"^(?:ba|z|k|da|a)?sh$"), "bash"),
    (re.compile(rb"^ruby"), "ruby"),
    (re.compile(rb"^php"), "php"),
    (re.compile(rb"^perl"), "perl"),
    (re.compile(rb"^lua"), "lua"),
    (re.compile(rb"^fish$"), "fish"),
    (re.compile(rb"^Rscript$"), "r"),
    (re.compile(rb"^(?:tcl|wi)sh"), "tcl"),
)
_CPP_WORDS = re.compile(rb"^\s*(?:class|namespace|template|using|public:|private:)\b", re.MULTILINE)
_SHEBANG = re.compile(rb"#!\s*(\S+)([^\r\n]*)")


def _inverted(table: str) -> dict[str, str]:
    rows = (row.partition(": ") for row in table.strip().splitlines())
    return {word: language for language, _, words in rows for word in words.split()}


_LANGUAGE_OF_SUFFIX = _inverted(_BY_SUFFIX)
_LANGUAGE_OF_NAME = _inverted(_BY_NAME)

PROSE = frozenset(
    {"html", "json", "latex", "markdown", "rst", "toml", "xml", "yaml", "css", "scss"}
)
"""Languages of texts that declare nothing other files refer to by a name."""


def language_of_name(path: str) -> str | None:
    """The language that a file's name tells, None if it tells nothing."""
    name = path.rpartition("/")[2]
    known = _LANGUAGE_OF_NAME.get(name)
    if known is not None:
        return known
    stem, _, suffix = name.rpartition(".")
    if not stem:
        return None
    return _LANGUAGE_OF_SUFFIX.get(suffix) or _LANGUAGE_OF_SUFFIX.get(suffix.lower())


def language_of(path: str, start: bytes) -> str | None:
    """The language of a file by its name, else by the interpreter that its first line names.

    `start` is what the file begins with; a `.h` is C++ if its first 64 KB look so.
    """
    named = language_of_name(path)
    if named == "c" and path.endswith(".h") and _CPP_WORDS.search(start[:65536]):
        return "cpp"
    if named is not None:
        return named
    shebang = _SHEBANG.match(start[:256])
    if shebang is None:
        return "php" if b"<?php" in start[:64] else None
    words = [shebang[1].rpartition(b"/")[2], *shebang[2].split()]
    if words[0] == b"env":
        words = [word for word in words[1:] if not word.startswith(b"-") and b"=" not in word]
    program = words[0].rpartition(b"/")[2] if words else b""
    for pattern, language in _BY_PROGRAM:
        if pattern.match(program):
            return language
    return None
