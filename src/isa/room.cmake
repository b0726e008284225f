# The spec becomes tables at build time: isagen is a host tool, its output lives in the build tree.
add_executable(isagen ${CMAKE_SOURCE_DIR}/tools/isagen.c)
target_include_directories(isagen PRIVATE ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/include)
file(GLOB SP_ISA_SPECS CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/isa/spec/*.spec)
list(SORT SP_ISA_SPECS)
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/generated)
add_custom_command(
  OUTPUT ${CMAKE_BINARY_DIR}/generated/isa_names.inc ${CMAKE_BINARY_DIR}/generated/isa_tables.inc ${CMAKE_BINARY_DIR}/generated/isa_texts.inc
  COMMAND isagen ${CMAKE_BINARY_DIR}/generated ${SP_ISA_SPECS}
  DEPENDS isagen ${SP_ISA_SPECS}
  COMMENT "isagen: encodings to tables"
  VERBATIM)
add_custom_target(sp_isa_tables
  DEPENDS ${CMAKE_BINARY_DIR}/generated/isa_names.inc ${CMAKE_BINARY_DIR}/generated/isa_tables.inc ${CMAKE_BINARY_DIR}/generated/isa_texts.inc)
add_dependencies(sp_isa sp_isa_tables)
target_link_libraries(sp_isa PUBLIC m)
# Its vectors are written by hand (see its head).
set_source_files_properties(${CMAKE_SOURCE_DIR}/src/isa/isa_cache.c PROPERTIES COMPILE_OPTIONS -fno-tree-slp-vectorize)
