; What TypeScript (and TSX) has beyond JavaScript.

(abstract_class_declaration name: (_) @name body: (_) @body) @class

(interface_declaration name: (_) @name body: (_) @body) @interface

(enum_declaration name: (_) @name body: (_) @body) @enum

(enum_body [(property_identifier) (string)] @name @member)

(enum_assignment name: (_) @name) @member

(type_alias_declaration name: (_) @name) @type

(internal_module name: (_) @name body: (_) @body) @module

(module name: (_) @name body: (_) @body) @module

(module name: (_) @name !body) @module

(ambient_declaration "global" @name (statement_block) @body) @module

(function_signature name: (_) @name) @function.signature

(method_signature name: (_) @name) @method.signature

(abstract_method_signature name: (_) @name) @method.signature

(public_field_definition
  name: (_) @name
  value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @method

(public_field_definition name: (_) @name) @field

(required_parameter (accessibility_modifier) pattern: (identifier) @name) @field.parameter

(required_parameter "readonly" pattern: (identifier) @name) @field.parameter

(property_signature
  name: (_) @name
  type: (type_annotation (object_type) @body)) @field

(property_signature name: (_) @name) @field

(index_signature) @index

(call_signature) @call

(construct_signature) @call

(statement_block (_ (variable_declarator name: (identifier) @name type: (_)) @variable))

(ambient_declaration (_ (variable_declarator name: (identifier) @name) @variable))

(ambient_declaration) @outer
