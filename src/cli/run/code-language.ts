import { extname } from 'node:path'
import { SkillsError } from '../../errors.ts'
import { getTextOption, type CommandLine } from '../command.ts'

/**
 * Sets --language by the extension of the code's file, unless the caller set it. Other code stays
 * without a language.
 */
export async function setFileLanguage(
  call: CommandLine,
  file: string | undefined,
): Promise<CommandLine> {
  const extension = extname(file ?? '')
  if (file === undefined || extension === '' || getTextOption(call, 'language') !== undefined) {
    return call
  }
  const { LANGUAGES, findLanguageByExtension } = await import('../../core/languages/index.ts')
  const language = findLanguageByExtension(extension)
  if (language) return { ...call, options: { ...call.options, language: language.name } }
  const known = LANGUAGES.flatMap(({ extensions }) => extensions).join(', ')
  throw new SkillsError(
    'usage/invalid',
    `No language has the file extension "${extension}", expected one of ${known}`,
    { hint: `Name the language: skills run-code ${file} --language python` },
  )
}
