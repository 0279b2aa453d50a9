import { resolve, sep } from 'node:path'
import { packSkill, type PackedSkill } from '../../core/packing/pack-skill.ts'
import { SkillsError } from '../../errors.ts'
import { getFlagOption, getTextOption, type CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { findSkillFolder } from '../find-skill.ts'
import { openConfig } from '../runtime.ts'
import { readPackOptions } from './pack-options.ts'
import { printPack, toPackRecord } from './print-pack.ts'
import { writeArchives } from './write-archives.ts'

/** `skills pack`: packs each skill, and writes its archives before the next one is packed. */
export async function packSkills(context: Context, call: CommandLine): Promise<number> {
  const options = readPackOptions(call)
  const isDryRun = getFlagOption(call, 'dryRun')
  const out = readOutFolder(context, call, isDryRun)
  const folders: string[] = []
  for (const reference of call.args) folders.push(await findSkillFolder(context, reference))
  for (const folder of folders) checkOutFolder(folder, out)
  if (!getFlagOption(call, 'skipLint')) {
    const { checkLint } = await import('../../core/publishing/check-lint.ts')
    const scope = { ...(await openConfig(context)), cwd: context.cwd, env: context.env }
    await checkLint(scope, folders, { verb: 'pack', option: '--skip-lint' })
  }
  const packs: ReturnType<typeof toPackRecord>[] = []
  const files = new Map<string, string>()
  for (const folder of folders) {
    context.signal.throwIfAborted()
    const pack = await packSkill(folder, options)
    checkNames(files, folder, pack)
    if (out !== undefined && !isDryRun) {
      await writeArchives(out, pack.archives, { force: getFlagOption(call, 'force') })
    }
    if (context.global.json) packs.push(toPackRecord(pack))
    else printPack(context, pack, isDryRun ? undefined : (getTextOption(call, 'out') ?? '.'))
  }
  if (context.global.json) context.document('skills.pack/v1', { dry_run: isDryRun, packs })
  return 0
}

function readOutFolder(context: Context, call: CommandLine, isDryRun: boolean): string | undefined {
  const out = getTextOption(call, 'out')
  return isDryRun && out === undefined ? undefined : resolve(context.cwd, out ?? '.')
}

/** Archives in the skill would be packed the next time. */
function checkOutFolder(folder: string, out: string | undefined): void {
  if (out === undefined || !`${out}${sep}`.startsWith(`${folder}${sep}`)) return
  throw new SkillsError('usage/invalid', `The folder "${out}" is inside the skill`, {
    hint: 'Choose a folder outside of the skill, such as --out dist',
  })
}

/** Two skills of one call must not overwrite each other's archives. */
function checkNames(files: Map<string, string>, folder: string, { archives }: PackedSkill): void {
  for (const { file } of archives) {
    const other = files.get(file)
    if (other !== undefined && other !== folder) {
      throw new SkillsError('usage/invalid', `"${other}" and "${folder}" both become "${file}"`, {
        hint: 'Pack them into different folders',
      })
    }
    files.set(file, folder)
  }
}
