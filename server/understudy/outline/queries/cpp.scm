; What C++ has beyond C.

(namespace_definition name: (_) @name body: (_) @body) @module

(class_specifier name: (_) @name body: (_) @body) @class

(struct_specifier name: (template_type name: (type_identifier) @name) body: (_) @body) @struct

(struct_specifier name: (qualified_identifier) @name body: (_) @body) @struct

(concept_definition name: (identifier) @name) @type

(alias_declaration name: (type_identifier) @name) @type

(function_definition declarator: [
  (function_declarator declarator: [
    (qualified_identifier) (field_identifier) (destructor_name) (operator_name)
    (template_function) (operator_cast)
  ] @name)
  (pointer_declarator declarator: (function_declarator declarator: [
    (qualified_identifier) (field_identifier) (operator_name)
  ] @name))
  (reference_declarator (function_declarator declarator: [
    (qualified_identifier) (field_identifier) (operator_name) (identifier)
  ] @name))
  (pointer_declarator declarator: [
    (pointer_declarator declarator: (function_declarator declarator: [
      (qualified_identifier) (field_identifier) (operator_name)
    ] @name))
    (reference_declarator (function_declarator declarator: [
      (qualified_identifier) (field_identifier) (operator_name) (identifier)
    ] @name))
  ])
]) @function

(function_definition declarator: (operator_cast) @name) @function

(function_definition declarator: (qualified_identifier name: (operator_cast)) @name) @function

(declaration declarator: [
  (function_declarator declarator: [(destructor_name) (operator_name)] @name)
  (reference_declarator (function_declarator declarator: [(identifier) (operator_name)] @name))
  (pointer_declarator declarator: (function_declarator declarator: (operator_name) @name))
  (pointer_declarator declarator: (reference_declarator (function_declarator declarator: [
    (identifier) (operator_name)] @name)))
]) @prototype

(declaration declarator: (operator_cast) @name) @prototype

(field_declaration declarator: [
  (function_declarator declarator: [(field_identifier) (operator_name)] @name)
  (pointer_declarator declarator: [
    (function_declarator declarator: [(field_identifier) (operator_name)] @name)
    (pointer_declarator declarator: (function_declarator declarator: [
      (field_identifier) (operator_name)] @name))
    (reference_declarator (function_declarator declarator: [
      (field_identifier) (operator_name)] @name))
  ])
  (reference_declarator (function_declarator declarator: [
    (field_identifier) (operator_name)] @name))
]) @method

(field_declaration declarator: (reference_declarator (field_identifier) @name)) @field

(enum_specifier name: (qualified_identifier) @name body: (_) @body) @enum

(template_declaration) @outer

(using_declaration) @imports
