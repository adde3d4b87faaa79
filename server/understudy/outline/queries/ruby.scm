; Classes, modules, methods, constants, attributes.

(class name: (_) @name) @class

(singleton_class value: (_) @name) @class

(module name: (_) @name) @module

(method name: (_) @name) @method

(singleton_method name: (_) @name) @method

(alias name: (_) @name) @method

(assignment left: (constant) @name) @constant

(program (assignment left: (global_variable) @name) @variable)

(call
  method: (identifier) @_method
  arguments: (argument_list (simple_symbol) @name)
  (#any-of? @_method "attr_reader" "attr_writer" "attr_accessor")) @field

(program (call
  method: (identifier) @_method
  (#any-of? @_method "require" "require_relative" "load")) @imports)
