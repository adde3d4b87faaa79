; Headings, elements with an id, and the landmarks of a page.

(element (start_tag (tag_name) @_tag (attribute
  (attribute_name) @_id
  [(attribute_value) @name (quoted_attribute_value (attribute_value) @name)])
  (#eq? @_id "id"))) @section

(element . (start_tag (tag_name) @_tag) . (text) @name (#match? @_tag "^[hH][1-6]$")) @heading

; with an attribute, the identifier or nothing
(element (start_tag . (tag_name) @name . ">") @_start
  (#any-of? @name "html" "head" "body" "header" "nav" "main" "section" "article" "aside"
    "footer" "form" "template" "table")) @section

(script_element (start_tag (tag_name) @name)) @section

(style_element (start_tag (tag_name) @name)) @section
