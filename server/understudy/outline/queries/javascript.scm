; JavaScript with JSX, and what TypeScript has in common with it. Named functions inside functions
; are kept; other names bound in functions are not looked for.

(class_declaration name: (_) @name body: (_) @body) @class

(function_declaration name: (identifier) @name body: (_) @body) @function

(generator_function_declaration name: (identifier) @name body: (_) @body) @function

(class name: (_) @name body: (_) @body) @class

(function_expression name: (identifier) @name body: (_) @body) @function

(method_definition name: (_) @name body: (_) @body) @method

(variable_declarator
  name: (identifier) @name
  value: [
    (arrow_function body: (_) @body)
    (function_expression body: (_) @body)
    (generator_function body: (_) @body)
  ]) @function

(variable_declarator name: (identifier) @name value: (class body: (_) @body)) @class

(variable_declarator
  name: (identifier) @name
  value: (call_expression
    arguments: (arguments
      . [(arrow_function body: (_) @body) (function_expression body: (_) @body)]))) @function

(program (_ (variable_declarator name: (identifier) @name value: (object) @body) @variable))

(export_statement
  (_ (variable_declarator name: (identifier) @name value: (object) @body) @variable))

(program (_ (variable_declarator name: (identifier) @name) @variable))

(export_statement (_ (variable_declarator name: (identifier) @name) @variable))

(program (_ (variable_declarator name: (object_pattern [
  (shorthand_property_identifier_pattern) @name @variable
  (pair_pattern value: (identifier) @name @variable)
  (object_assignment_pattern left: (shorthand_property_identifier_pattern) @name @variable)
]))))

(export_statement (_ (variable_declarator name: (object_pattern [
  (shorthand_property_identifier_pattern) @name @variable
  (pair_pattern value: (identifier) @name @variable)
]))))

(program (_ (variable_declarator name: (array_pattern (identifier) @name @variable))))

(export_statement (_ (variable_declarator name: (array_pattern (identifier) @name @variable))))

(pair
  key: [(property_identifier) (string)] @name
  value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @method

(assignment_expression
  left: [
    (member_expression property: (property_identifier) @name)
    (identifier) @name
  ]
  right: [
    (arrow_function body: (_) @body)
    (function_expression body: (_) @body)
    (class body: (_) @body)
  ]) @function

(export_statement "default" @name value: [
  (arrow_function body: (_) @body)
  (function_expression body: (_) @body)
]) @function

(export_statement) @outer

(program (lexical_declaration) @outer)

(program (variable_declaration) @outer)

(export_statement (lexical_declaration) @outer)

(program (import_statement) @imports)
