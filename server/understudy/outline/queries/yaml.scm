(block_mapping_pair key: (_) @name value: (block_node) @body) @key

(block_mapping_pair key: (_) @name) @key

(block_sequence_item (block_node (block_mapping . (block_mapping_pair key: (_)) @name))) @key.item
