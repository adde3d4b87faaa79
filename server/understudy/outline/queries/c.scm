; Types, functions, prototypes, globals, macros. Both arms of a conditional are in the tree.

(function_definition
  declarator: [
    (function_declarator declarator: (identifier) @name)
    (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))
    (pointer_declarator declarator: (pointer_declarator
      declarator: (function_declarator declarator: (identifier) @name)))
    (function_declarator declarator: (parenthesized_declarator (identifier) @name))
    (function_declarator
      declarator: (function_declarator declarator: (identifier) @name))
    (function_declarator declarator: (parenthesized_declarator (pointer_declarator
      declarator: (function_declarator declarator: (identifier) @name))))
    (pointer_declarator declarator: (function_declarator declarator: (parenthesized_declarator
      (pointer_declarator declarator: (function_declarator declarator: (identifier) @name)))))
  ]
  body: (_) @body) @function

(declaration declarator: [
  (function_declarator declarator: (identifier) @name)
  (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))
  (pointer_declarator declarator: (pointer_declarator
    declarator: (function_declarator declarator: (identifier) @name)))
  (function_declarator declarator: (parenthesized_declarator (pointer_declarator
    declarator: (function_declarator declarator: (identifier) @name))))
  (pointer_declarator declarator: (function_declarator declarator: (parenthesized_declarator
    (pointer_declarator declarator: (function_declarator declarator: (identifier) @name)))))
]) @prototype

(struct_specifier name: (type_identifier) @name body: (_) @body) @struct

(union_specifier name: (type_identifier) @name body: (_) @body) @struct

(enum_specifier name: (type_identifier) @name body: (_) @body) @enum

(type_definition
  type: (struct_specifier !name body: (_) @body)
  declarator: (type_identifier) @name) @struct

(type_definition
  type: (union_specifier !name body: (_) @body)
  declarator: (type_identifier) @name) @struct

(type_definition
  type: (enum_specifier !name body: (_) @body)
  declarator: (type_identifier) @name) @enum

(type_definition declarator: [
  (type_identifier) @name
  (pointer_declarator declarator: (type_identifier) @name)
  (function_declarator
    declarator: (parenthesized_declarator
      (pointer_declarator declarator: (type_identifier) @name)))
  (function_declarator declarator: (type_identifier) @name)
  (array_declarator declarator: (type_identifier) @name)
]) @type

(enumerator name: (identifier) @name) @member

(field_declaration declarator: [
  (field_identifier) @name
  (pointer_declarator declarator: (field_identifier) @name)
  (pointer_declarator declarator: (pointer_declarator declarator: (field_identifier) @name))
  (array_declarator declarator: (field_identifier) @name)
  (array_declarator declarator: (array_declarator declarator: (field_identifier) @name))
  (function_declarator
    declarator: (parenthesized_declarator
      (pointer_declarator declarator: (field_identifier) @name)))
]) @field

; also those in function bodies, which are left out later: a query for the right parents misses
; some in trees with errors
(declaration declarator: [
  (identifier) @name
  (init_declarator declarator: (identifier) @name)
  (init_declarator declarator: (pointer_declarator declarator: (identifier) @name))
  (init_declarator declarator: (array_declarator declarator: (identifier) @name))
  (init_declarator declarator: (array_declarator
    declarator: (array_declarator declarator: (identifier) @name)))
  (init_declarator declarator: (function_declarator declarator: (parenthesized_declarator
    (pointer_declarator declarator: (identifier) @name))))
  (pointer_declarator declarator: (identifier) @name)
  (array_declarator declarator: (identifier) @name)
  (function_declarator declarator: (parenthesized_declarator
    (pointer_declarator declarator: (identifier) @name)))
]) @variable

(preproc_def name: (identifier) @name) @macro

(preproc_function_def name: (identifier) @name) @macro

(preproc_include) @imports
