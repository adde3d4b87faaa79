; Functions, and variables set outside of functions.

(function_definition name: (word) @name body: (_) @body) @function

(program (variable_assignment name: (variable_name) @name) @variable)

(program (declaration_command (variable_assignment name: (variable_name) @name)) @variable)

(if_statement (variable_assignment name: (variable_name) @name) @variable)
