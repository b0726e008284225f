# Launch files are JSON.
pkg_check_modules(SP_JANSSON REQUIRED jansson)
target_include_directories(sp_pipeline PRIVATE ${SP_JANSSON_INCLUDE_DIRS})
target_link_libraries(sp_pipeline PUBLIC ${SP_JANSSON_LINK_LIBRARIES})
