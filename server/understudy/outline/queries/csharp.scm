; Types, their members, local functions.

(namespace_declaration name: (_) @name body: (_) @body) @module

(file_scoped_namespace_declaration name: (_) @name) @module

(class_declaration name: (identifier) @name body: (_) @body) @class

(struct_declaration name: (identifier) @name body: (_) @body) @struct

(interface_declaration name: (identifier) @name body: (_) @body) @interface

(record_declaration name: (identifier) @name) @class

(enum_declaration name: (identifier) @name body: (_) @body) @enum

(enum_member_declaration name: (identifier) @name) @member

(delegate_declaration name: (identifier) @name) @type

(method_declaration name: (identifier) @name) @method

(local_function_statement name: (identifier) @name) @function

(constructor_declaration name: (identifier) @name) @constructor

(destructor_declaration name: (identifier) @name) @method

(operator_declaration operator: _ @name) @method

(conversion_operator_declaration type: (_) @name) @method

(property_declaration name: (identifier) @name accessors: (_) @body) @property

(property_declaration name: (identifier) @name) @property

(indexer_declaration "this" @name accessors: (_) @body) @property

(event_declaration name: (identifier) @name) @field

(event_field_declaration
  (variable_declaration (variable_declarator name: (identifier) @name))) @field

(field_declaration (variable_declaration (variable_declarator name: (identifier) @name))) @field

(using_directive) @imports
