; Types, functions, their members, constants.

(namespace_definition name: (_) @name body: (_) @body) @module

(namespace_definition name: (_) @name !body) @module

(class_declaration name: (name) @name body: (_) @body) @class

(interface_declaration name: (name) @name body: (_) @body) @interface

(trait_declaration name: (name) @name body: (_) @body) @trait

(enum_declaration name: (name) @name body: (_) @body) @enum

(enum_case name: (name) @name) @member

(function_definition name: (name) @name body: (_) @body) @function

(method_declaration name: (name) @name) @method

(property_declaration (property_element name: (variable_name) @name)) @field

(property_promotion_parameter name: (variable_name) @name) @field.parameter

(const_declaration (const_element (name) @name)) @constant

(expression_statement (function_call_expression
  function: (name) @_call
  arguments: (arguments . (argument (string) @name))
  (#eq? @_call "define"))) @constant

(namespace_use_declaration) @imports
