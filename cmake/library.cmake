# libsassprobe, static and shared, made of the rooms' objects, and everything a program outside the tree needs to find it.
# A room is a static library of its own, so that tests may link a part of the house; here their objects are put together.
set(objects)
set(outside) # what the rooms need from the system
foreach(library IN LISTS below)
  list(APPEND objects $<TARGET_OBJECTS:${library}>)
  get_target_property(needs ${library} INTERFACE_LINK_LIBRARIES)
  foreach(need IN LISTS needs)
    if(NOT need MATCHES "^sp_")
      list(APPEND outside ${need})
    endif()
  endforeach()
endforeach()
list(REMOVE_DUPLICATES outside)
if(NOT objects)
  return()
endif()

# One name (`sassprobe`) belongs to the command; the libraries are called libsassprobe on disk all the same.
set(kinds STATIC SHARED)
foreach(kind IN LISTS kinds)
  string(TOLOWER ${kind} lower)
  add_library(libsassprobe_${lower} ${kind} ${objects})
  set_target_properties(libsassprobe_${lower} PROPERTIES OUTPUT_NAME sassprobe EXPORT_NAME ${lower} LINKER_LANGUAGE C)
  target_include_directories(libsassprobe_${lower} PUBLIC $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(libsassprobe_${lower} PRIVATE ${outside})
endforeach()
# Before 1.0 the interface may change with every minor version, so the minor version is part of the name.
set_target_properties(libsassprobe_shared PROPERTIES VERSION ${PROJECT_VERSION}
  SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR} LINK_DEPENDS ${CMAKE_SOURCE_DIR}/cmake/sassprobe.map)
target_link_options(libsassprobe_shared PRIVATE -Wl,--version-script=${CMAKE_SOURCE_DIR}/cmake/sassprobe.map -Wl,-z,defs)
if(SP_SANITIZE)
  target_link_options(libsassprobe_static PUBLIC -fsanitize=address,undefined)
  target_link_options(libsassprobe_shared PUBLIC -fsanitize=address,undefined)
endif()

install(DIRECTORY ${CMAKE_SOURCE_DIR}/include/sassprobe DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(TARGETS libsassprobe_static libsassprobe_shared EXPORT sassprobeTargets)
install(EXPORT sassprobeTargets NAMESPACE sassprobe:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/sassprobe)

include(CMakePackageConfigHelpers)
configure_package_config_file(${CMAKE_SOURCE_DIR}/cmake/sassprobeConfig.cmake.in ${CMAKE_BINARY_DIR}/sassprobeConfig.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/sassprobe)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/sassprobeConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/sassprobeConfig.cmake ${CMAKE_BINARY_DIR}/sassprobeConfigVersion.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/sassprobe)

# For pkg-config --static: every outside library as a linker flag.
set(SP_PC_LIBS)
foreach(need IN LISTS outside)
  if(need MATCHES "^-")
    string(APPEND SP_PC_LIBS " ${need}")
  elseif(IS_ABSOLUTE "${need}")
    get_filename_component(stem "${need}" NAME)
    if(stem MATCHES "^lib(.+)[.](so|a)$")
      string(APPEND SP_PC_LIBS " -l${CMAKE_MATCH_1}")
    else()
      string(APPEND SP_PC_LIBS " ${need}")
    endif()
  else()
    string(APPEND SP_PC_LIBS " -l${need}")
  endif()
endforeach()
configure_file(${CMAKE_SOURCE_DIR}/cmake/sassprobe.pc.in ${CMAKE_BINARY_DIR}/sassprobe.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/sassprobe.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
