import { join } from 'node:path'
import type { Manifest, PlainObject } from '../../skills/manifest/manifest.ts'
import type { SkillSource } from '../../skills/manifest/source.ts'
import { SUITE_FILE } from '../../testing/suites/find-suites.ts'
import { readSuite } from '../../testing/suites/parse-suite.ts'
import type { CaseAction, TestCase } from '../../testing/suites/suite.ts'
import { describeEntryPoint } from './entry-point.ts'
import { useSkillPaths } from './skill-paths.ts'
import type { Subject, SubjectCommand } from './subject.ts'

const MAX_SUITES = 10
const MAX_CASES = 20

interface SuiteContext {
  source: SkillSource
  manifest: Manifest
  folder: string
}

/** Lists the cases of a skill's own tests: a trial has their calls, not their expectations. */
export function listSuiteCases(context: SuiteContext): Subject[] {
  const suites = context.source.files
    .filter(({ path, type }) => type === 'file' && SUITE_FILE.test(path))
    .slice(0, MAX_SUITES)
  return suites
    .flatMap(({ path }) => {
      const cases = readSuite(join(context.source.dir, path)).suite?.cases ?? []
      return cases.flatMap((each) => describeCase(path, each, context) ?? [])
    })
    .slice(0, MAX_CASES)
}

function describeCase(
  file: string,
  { name, action, position }: TestCase,
  context: SuiteContext,
): Subject | undefined {
  const place = { name: `${file} "${name}"`, file, line: position.line }
  if (action.kind === 'skill') {
    const called = callEntryPoint(action.args, context)
    return called && { ...called, ...place }
  }
  const command = planAction(action, context.folder)
  if (!command) return undefined
  const args = command.args.map((each) => useSkillPaths(each, context.source, context.folder))
  return { ...place, text: args.join('\n'), commands: [{ ...command, args }] }
}

/** A call of the entry point with the arguments of a case. */
function callEntryPoint(
  args: PlainObject,
  { source, manifest, folder }: SuiteContext,
): Subject | undefined {
  const { runtime } = manifest
  const example = { index: 0, description: undefined, args, result: undefined, error: undefined }
  const text = runtime ? (source.read(runtime.entrypoint) ?? '') : ''
  return describeEntryPoint({ ...manifest, examples: [example] }, folder, text)
}

function planAction(action: CaseAction, folder: string): SubjectCommand | undefined {
  if (action.kind === 'command') {
    return { program: 'bash', args: ['-c', `cd ${folder}\n${action.command}`] }
  }
  if (action.kind !== 'code') return undefined
  const { language, code, entrypoint = 'main', args } = action
  const json = JSON.stringify(args)
  if (language === 'node') {
    return { program: 'node', args: ['-e', `${code}\n;${entrypoint}(${json})`] }
  }
  const call = `__import__("json").loads(${JSON.stringify(json)})`
  return language === 'python'
    ? { program: 'python3', args: ['-c', `${code}\n${entrypoint}(${call})`] }
    : undefined
}
