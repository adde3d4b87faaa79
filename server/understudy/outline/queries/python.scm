; Classes, functions, and names bound in the bodies of modules and classes (functions' locals,
; which the last patterns find as well, are left out later).

(class_definition name: (identifier) @name) @class

(decorated_definition
  (decorator [
    (identifier) @_mark
    (attribute attribute: (identifier) @_mark)
  ])
  definition: (function_definition name: (identifier) @name) @function.signature
  (#eq? @_mark "overload"))

(function_definition name: (identifier) @name) @function

(decorated_definition) @outer

(type_alias_statement left: (type) @name) @type

(import_statement) @imports

(import_from_statement) @imports

(future_import_statement) @imports

(expression_statement
  (assignment left: [
    (identifier) @name
    (pattern_list [(identifier) @name (list_splat_pattern (identifier) @name)])
    (tuple_pattern (identifier) @name)
    (list_pattern (identifier) @name)
  ]) @variable)

(for_statement left: (identifier) @name @variable)

(for_statement left: (pattern_list (identifier) @name @variable))

(for_statement left: (tuple_pattern (identifier) @name @variable))

(with_item value: (as_pattern alias: (as_pattern_target (identifier) @name @variable)))

(with_item
  value: (as_pattern
    alias: (as_pattern_target (tuple (identifier) @name @variable))))

(named_expression name: (identifier) @name @variable)

(assignment right: (assignment left: (identifier) @name) @variable)
