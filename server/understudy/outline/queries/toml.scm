(table . "[" . (_) @name . "]") @section

(table_array_element . "[[" . (_) @name . "]]") @section

(pair . (_) @name) @key
