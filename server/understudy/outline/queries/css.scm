(rule_set (selectors) @name (block) @body) @rule

(media_statement "@media" @name (block) @body) @rule

(supports_statement "@supports" @name (block) @body) @rule

(keyframes_statement (keyframes_name) @name (keyframe_block_list) @body) @rule

(at_rule (at_keyword) @name) @rule

(stylesheet (rule_set (block (declaration (property_name) @name) @property))
  (#match? @name "^--"))

(import_statement) @imports
