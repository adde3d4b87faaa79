; Items, the members of impls and traits, fields, variants, macros.

(function_item name: (identifier) @name body: (_) @body) @function

(function_signature_item name: (identifier) @name) @function

(struct_item name: (type_identifier) @name body: (field_declaration_list) @body) @struct

(struct_item name: (type_identifier) @name) @struct.whole

(union_item name: (type_identifier) @name body: (_) @body) @struct

(enum_item name: (type_identifier) @name body: (_) @body) @enum

(enum_variant name: (identifier) @name) @member

(field_declaration name: (field_identifier) @name) @field

(trait_item name: (type_identifier) @name body: (_) @body) @trait

(impl_item type: [
  (type_identifier) @name
  (generic_type type: (type_identifier) @name)
  (scoped_type_identifier name: (type_identifier) @name)
  (generic_type type: (scoped_type_identifier name: (type_identifier) @name))
] body: (_) @body) @impl

(impl_item type: (_) @name body: (_) @body) @impl

(mod_item name: (identifier) @name) @module

(type_item name: (type_identifier) @name) @type

(associated_type name: (type_identifier) @name) @type

(const_item name: (identifier) @name) @constant

(static_item name: (identifier) @name) @variable

(macro_definition name: (identifier) @name) @macro

(use_declaration) @imports

(extern_crate_declaration) @imports
