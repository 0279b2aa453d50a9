import { LANGUAGE_NAMES, type Language, type LanguageName } from './language.ts'
import { c } from './known/c.ts'
import { cpp } from './known/cpp.ts'
import { csharp } from './known/csharp.ts'
import { elixir } from './known/elixir.ts'
import { go } from './known/go.ts'
import { java } from './known/java.ts'
import { kotlin } from './known/kotlin.ts'
import { node } from './known/node.ts'
import { perl } from './known/perl.ts'
import { php } from './known/php.ts'
import { powershell } from './known/powershell.ts'
import { python } from './known/python.ts'
import { r } from './known/r.ts'
import { ruby } from './known/ruby.ts'
import { rust } from './known/rust.ts'
import { shell } from './known/shell.ts'
import { typescript } from './known/typescript.ts'

const LANGUAGES_BY_NAME: Readonly<Record<LanguageName, Language>> = {
  node,
  typescript,
  python,
  shell,
  powershell,
  go,
  java,
  kotlin,
  rust,
  c,
  cpp,
  csharp,
  ruby,
  php,
  perl,
  r,
  elixir,
}

/** Every language, in display order. */
export const LANGUAGES: readonly Language[] = LANGUAGE_NAMES.map((name) => LANGUAGES_BY_NAME[name])

/** Finds the language of a file by its extension, such as `.py`. */
export function findLanguageByExtension(extension: string): Language | undefined {
  return LANGUAGES.find(({ extensions }) => extensions.includes(extension.toLowerCase()))
}

/** Returns a language by its validated name. */
export function getLanguage(name: LanguageName): Language {
  return LANGUAGES_BY_NAME[name]
}
