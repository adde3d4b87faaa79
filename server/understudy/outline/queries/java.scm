; Types, methods, constructors, fields, enum constants, records' components.

(class_declaration name: (identifier) @name body: (_) @body) @class

(interface_declaration name: (identifier) @name body: (_) @body) @interface

(annotation_type_declaration name: (identifier) @name body: (_) @body) @interface

(enum_declaration name: (identifier) @name body: (_) @body) @enum

(record_declaration name: (identifier) @name body: (_) @body) @class

(enum_constant name: (identifier) @name) @member

(method_declaration name: (identifier) @name) @method

(annotation_type_element_declaration name: (identifier) @name) @method

(constructor_declaration name: (identifier) @name body: (_) @body) @constructor

(compact_constructor_declaration name: (identifier) @name body: (_) @body) @constructor

(field_declaration declarator: (variable_declarator name: (identifier) @name)) @field

(constant_declaration declarator: (variable_declarator name: (identifier) @name)) @constant

(record_declaration parameters: (formal_parameters
  (formal_parameter name: (identifier) @name) @field.parameter))

(module_declaration name: (_) @name body: (_) @body) @module

(import_declaration) @imports
