import { readFileSync } from 'node:fs'
import type { Plain } from '../../skills/manifest/manifest.ts'
import {
  isTable,
  mapField,
  readTable,
  requiredField,
  spellValue,
  type Field,
} from '../document/field.ts'
import type { Place } from '../document/problems.ts'
import { isInnerPath, skillFileField } from '../document/skill-path.ts'

/** A file that the workspace has before the run. */
export interface SetupFile {
  bytes: Buffer
  isProgram: boolean
}

/** Names below the workspace that belong to test runs. */
export const RESERVED_FOLDER = '.skills-test'

const FILE_SOURCE = { from: requiredField(skillFileField) }

const setupFileField: Field<SetupFile> = {
  description: 'Content of the file, or a file of the skill',
  schema: {
    anyOf: [
      { type: 'string' },
      {
        type: 'object',
        additionalProperties: false,
        required: ['from'],
        properties: { from: skillFileField.schema },
      },
    ],
  },
  read(value, place) {
    if (typeof value === 'string') return createSetupFile(Buffer.from(value))
    if (!isTable(value)) return place.refuse(`Expected a text or a table, got ${spellValue(value)}`)
    const from = readTable(FILE_SOURCE, value, place)?.from
    return from === undefined ? undefined : createSetupFile(readFileSync(from))
  },
}

const filesByPath = mapField('Files that the workspace has at the start, by path', setupFileField)

/** Files by their paths below the workspace. */
export const setupFilesField: Field<Map<string, SetupFile>> = {
  ...filesByPath,
  read(value: Plain, place: Place) {
    for (const path of isTable(value) ? Object.keys(value) : []) {
      if (isSetupPath(path)) continue
      const help = 'Write a path below the workspace, such as work/input.txt'
      place.at(path).refuse(`"${path}" is not a path of a setup file`, { what: 'key', help })
    }
    return filesByPath.read(value, place)
  },
}

/** A script, which begins with `#!`, is executable. */
export function createSetupFile(bytes: Buffer): SetupFile {
  return { bytes, isProgram: bytes.subarray(0, 2).toString('latin1') === '#!' }
}

function isSetupPath(path: string): boolean {
  return isInnerPath(path) && path.split('/')[0] !== RESERVED_FOLDER
}
