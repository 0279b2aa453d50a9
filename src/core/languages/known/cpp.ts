import type { Language } from '../language.ts'
import { createNativeCandidate } from './c.ts'

export const cpp: Language = {
  name: 'cpp',
  title: 'C++',
  extensions: ['.cpp', '.cc', '.cxx'],
  aliases: ['g++', 'c++'],
  candidates: ['g++', 'c++'].map((name) => createNativeCandidate(name, 'main.cpp')),
  install: 'a C++ compiler (package "g++")',
  limits: { memoryBytes: 1024 ** 3, processes: 128 },
}
