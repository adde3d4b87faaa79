; Functions, methods, types with their fields and methods, constants and variables of the package.

(function_declaration name: (identifier) @name) @function

(method_declaration name: (field_identifier) @name) @method

(type_spec
  name: (type_identifier) @name
  type: (struct_type (field_declaration_list) @body)) @struct

(type_spec name: (type_identifier) @name type: (interface_type "{" @body)) @interface

(type_spec name: (type_identifier) @name) @type

(type_alias name: (type_identifier) @name) @type

(field_declaration name: (field_identifier) @name) @field

(field_declaration !name type: [
  (type_identifier) @name
  (qualified_type name: (type_identifier) @name)
  (generic_type type: (type_identifier) @name)
  (pointer_type (type_identifier) @name)
  (pointer_type (qualified_type name: (type_identifier) @name))
]) @field

(method_elem name: (field_identifier) @name) @method

(source_file (const_declaration (const_spec name: (identifier) @name) @constant))

(source_file (var_declaration (var_spec name: (identifier) @name) @variable))

(source_file (var_declaration (var_spec_list (var_spec name: (identifier) @name) @variable)))

((type_declaration) @outer (#not-match? @outer "^type\\s*\\("))

(source_file (const_declaration) @outer (#not-match? @outer "^const\\s*\\("))

(source_file (var_declaration) @outer (#not-match? @outer "^var\\s*\\("))

(import_declaration) @imports
