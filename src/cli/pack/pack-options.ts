import { FORMAT_NAMES, type ArchiveFormatName } from '../../core/packing/formats.ts'
import type { SkillPackOptions } from '../../core/packing/pack-skill.ts'
import { SkillsError } from '../../errors.ts'
import { parseBytes } from '../../util/quantity.ts'
import { getFlagOption, getListOption, getTextOption, type CommandLine } from '../command.ts'

/** The limits that every client of MCP must support. */
const DEFAULT_MAX_FILES = 512
const DEFAULT_MAX_BYTES = 16 * 1024 ** 2

/** Reads the options of `skills pack` that decide what is in the archives. */
export function readPackOptions(call: CommandLine): SkillPackOptions {
  return {
    formats: readFormats(getListOption(call, 'format')),
    withTests: getFlagOption(call, 'withTests'),
    maxFiles: readMaxFiles(getTextOption(call, 'maxFiles')),
    maxBytes: readMaxBytes(getTextOption(call, 'maxSize')),
  }
}

function readFormats(written: readonly string[]): ArchiveFormatName[] {
  const names = written.flatMap((each) => each.split(',')).map((each) => each.trim())
  const unknown = names.find((name) => !FORMAT_NAMES.includes(name as ArchiveFormatName))
  if (unknown !== undefined) {
    throw new SkillsError('usage/invalid', `"${unknown}" is not a format of archives`, {
      hint: `The formats are ${FORMAT_NAMES.join(', ')}`,
    })
  }
  const chosen = names.length === 0 ? ['tar.gz'] : [...new Set(names)]
  return chosen as ArchiveFormatName[]
}

function readMaxFiles(text: string | undefined): number {
  if (text === undefined) return DEFAULT_MAX_FILES
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text)
  throw new SkillsError('usage/invalid', `Expected a number of files, got "${text}"`, {
    hint: 'Type a whole number, such as --max-files 1000',
  })
}

function readMaxBytes(text: string | undefined): number {
  if (text === undefined) return DEFAULT_MAX_BYTES
  const bytes = parseBytes(text)
  if (bytes !== undefined && bytes > 0) return bytes
  throw new SkillsError('usage/invalid', `Expected a size, got "${text}"`, {
    hint: 'Type a number with a unit, such as --max-size 25MiB',
  })
}
