# Demangling comes from GCC's language support library, which knows the callback form (see img_demangle.c).
find_library(SP_SUPCXX libsupc++.a
  HINTS ENV LIBRARY_PATH
  PATHS ${CMAKE_C_IMPLICIT_LINK_DIRECTORIES})
if(NOT SP_SUPCXX)
  message(FATAL_ERROR "libsupc++.a not found: install g++ (Debian, Ubuntu: apt-get install g++)")
endif()
target_link_libraries(sp_image PUBLIC ${SP_SUPCXX})

# Modules in fatbins are packed with one of these.
find_package(PkgConfig REQUIRED)
pkg_check_modules(SP_LZ4 REQUIRED liblz4)
pkg_check_modules(SP_ZSTD REQUIRED libzstd)
target_include_directories(sp_image PRIVATE ${SP_LZ4_INCLUDE_DIRS} ${SP_ZSTD_INCLUDE_DIRS})
target_link_libraries(sp_image PUBLIC ${SP_LZ4_LINK_LIBRARIES} ${SP_ZSTD_LINK_LIBRARIES})
