import { relative, resolve } from 'node:path'
import {
  exportLock,
  type ExportedSkill,
  type ExportTarget,
} from '../../core/installing/exchange/export-lock.ts'
import { FOREIGN_FORMATS } from '../../core/installing/exchange/foreign-lock.ts'
import { chooseFormat, locateForeignLock } from '../../core/installing/exchange/locate-foreign.ts'
import type { MergedEntries } from '../../core/installing/exchange/merge-entries.ts'
import type { InstallPlaces } from '../../core/installing/install-places.ts'
import { SkillsError } from '../../errors.ts'
import { toPrintable } from '../../util/printable.ts'
import { getFlagOption, getTextOption, type CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { openPlaces } from '../install/open-places.ts'

/** `skills install --export`. */
export async function runExportLock(context: Context, call: CommandLine): Promise<number> {
  const { places } = await openPlaces(context, call)
  const target = chooseTarget(context, call, places)
  const { signal, env } = context
  const force = getFlagOption(call, 'force')
  const { exported, merged } = await exportLock({ places, ...target, force, signal, env })
  reportExported(context, { ...target, exported, merged })
  return exported.find(({ exit }) => exit !== 0)?.exit ?? 0
}

function chooseTarget(context: Context, call: CommandLine, places: InstallPlaces): ExportTarget {
  const usual = chooseFormat(places)
  const wanted = getTextOption(call, 'format')
  const format = FOREIGN_FORMATS.find((each) => each === wanted) ?? usual
  const [out] = call.args
  if (out !== undefined) return { file: resolve(context.cwd, out), format }
  if (format === usual) return { file: locateForeignLock(places, context.env), format }
  throw new SkillsError(
    'usage/invalid',
    `The format ${format} is for the skills of a ${format === 'skill-lock' ? 'user' : 'project'}`,
    {
      hint: `Name the file, or ${format === 'skill-lock' ? 'pass' : 'omit'} --global`,
    },
  )
}

interface ExportReport extends ExportTarget {
  exported: readonly ExportedSkill[]
  merged: MergedEntries
}

function reportExported(context: Context, { file, format, exported, merged }: ExportReport): void {
  const skills = exported.map(({ name, entry, problem }) => {
    const state = merged.states.find(({ key }) => key === entry?.key)?.state ?? 'omitted'
    return { name, key: entry?.key ?? null, state, problem: problem ?? null }
  })
  const { kept } = merged
  if (context.global.json) {
    return context.document('skills.lock-export/v1', { file, format, skills, kept })
  }
  const lines = [
    ...skills.map(({ name, state, problem }) =>
      problem === null ? `${state} ${name}` : `${state} ${name}: ${problem}`,
    ),
    ...kept.map((key) => `kept ${key} (not in skills.lock)`),
    `in ${relative(context.cwd, file) || file}`,
  ]
  context.print(lines.map((line) => toPrintable(line)).join('\n'))
}
