; JavaScript's own name for a field of a class; TypeScript's grammar has another.

(field_definition
  property: (_) @name
  value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @method

(field_definition property: (_) @name) @field
