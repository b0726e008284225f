# Demangling comes from GCC's language support library, which knows the callback form (see img_demangle.c).
find_library(SP_SUPCXX libsupc++.a
  HINTS ENV LIBRARY_PATH
  PATHS ${CMAKE_C_IMPLICIT_LINK_DIRECTORIES})
if(NOT SP_SUPCXX)
  message(FATAL_ERROR "libsupc++.a not found: install g++ (Debian, Ubuntu: apt-get install g++)")
endif()
target_link_libraries(sp_image PUBLIC ${SP_SUPCXX})
