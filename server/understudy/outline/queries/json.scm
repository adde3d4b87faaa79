(pair key: (string) @name value: [(object) (array)] @body) @key

(pair key: (string) @name) @key
