"""The getters of published tasks: where their checks find values, a module for each family.

What each brings, and the metrics compare:

| getter | value |
|---|---|
| a file (`vm_file`, `cloud_file`, `cache_file`, `googledrive_file`, `vscode_config`) | `Fetched` with name and data |
| several files (`multi`, `path_list`, `query_list`) | a list of `Fetched`; for `upstream` None for a missing one |
| `vm_command_line` | what the command printed, a text |
| `enable_do_not_track`, `data_delete_automacally` | `"true"` or `"false"` |
| `profile_name`, `chrome_appearance_mode_ui` | a text |
| `enabled_experiments` | a list of texts, `name@option` or `name` |
| `find_unpacked_extension_path`, `find_installed_extension_name` | a list of texts |
| `history` | a list of mappings with `url`, `title`, `time` |
| `cookie_data` | a list of pairs of domain and name, or of mappings with `domain` |
| `open_tabs_info` | a list of mappings with `url` and `title` |
| `active_tab_info` | a mapping with `url` and `title` |
| `active_url_from_accessTree` | the address, a text |
| `active_tab_html_parse`, `active_tab_url_parse` | a mapping of what was asked for to its text, or list of texts |
| `accessibility_tree` | the tree, a `SeenTree` |
| `rule` | the rules as the metric's `rules`, checked when the task file was read |
| `rule_relativeTime` | a mapping like the metric's `rules`, the dates filled in under `expected` |

None, in the place of any, means that there is nothing: a score of 0.
"""
