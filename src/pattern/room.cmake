# The pages of patterns/ become part of the library: embed is a host tool, its output lives in the build tree.
add_executable(embed ${CMAKE_SOURCE_DIR}/tools/embed.c)
file(GLOB SP_PATTERN_PAGES CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/patterns/*.md)
list(SORT SP_PATTERN_PAGES)
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/generated)
# The list itself is an input: a page that is taken away must go from the table too.
string(SHA256 SP_PATTERN_LIST "${SP_PATTERN_PAGES}")
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/generated/pat_pages.list CONTENT "${SP_PATTERN_LIST}\n")
add_custom_command(
  OUTPUT ${CMAKE_BINARY_DIR}/generated/pat_pages.inc
  COMMAND embed ${CMAKE_BINARY_DIR}/generated/pat_pages.inc ${SP_PATTERN_PAGES}
  DEPENDS embed ${SP_PATTERN_PAGES} ${CMAKE_BINARY_DIR}/generated/pat_pages.list
  COMMENT "embed: pattern pages"
  VERBATIM)
add_custom_target(sp_pattern_pages DEPENDS ${CMAKE_BINARY_DIR}/generated/pat_pages.inc)
add_dependencies(sp_pattern sp_pattern_pages)
