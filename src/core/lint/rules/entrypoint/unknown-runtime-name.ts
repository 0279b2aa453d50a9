import { findNearest } from '../../../../util/find-nearest.ts'
import { listParsedCode } from '../../code/code-files.ts'
import type { RuntimeName } from '../../code/code-facts.ts'
import type { PythonFacts } from '../../python/facts.ts'
import type { LintedSkill, Rule } from '../../rule.ts'
import { listRuntimeNames, type RUNTIME_API } from '../../code/runtime-api.ts'
import { listParsedPython } from '../../skill-facts.ts'

export const UNKNOWN_RUNTIME_NAME: Rule = {
  id: 'entrypoint/unknown-runtime-name',
  severity: 'error',
  what: 'The code uses a name that the module "runtime" does not have',
  why: 'The call fails when it is reached; an import fails at once.',
  example: {
    bad: {
      'code/main.py':
        'import runtime\n\n\ndef main(args):\n    return {"blob": runtime.blobs.write_txt(args["who"])}\n',
    },
    good: {
      'code/main.py':
        'import runtime\n\n\ndef main(args):\n    return {"blob": runtime.blobs.write_text(args["who"])}\n',
    },
  },
  fix: 'Use a name that the runtime has in this language.',
  needsPython: true,
  check(skill, report) {
    for (const { file, language, names } of listUses(skill)) {
      for (const { module, name, span } of names) {
        const known = listRuntimeNames(language, module)
        // A module that does not exist has a finding at its import.
        if (!known || known.includes(name) || ALWAYS.test(name)) continue
        report({ file, span, ...describeUnknown(module, name, known) })
      }
    }
  },
}

function describeUnknown(module: string, name: string, known: readonly string[]) {
  const title = module === 'shell' ? 'The library of shell scripts' : `"${module}"`
  const guess = findOtherCase(name, known) ?? findNearest(name, known)
  return {
    message: `${title} does not have "${name}"`,
    help: guess ? `Did you mean "${guess}"?` : `Write one of: ${known.join(', ')}`,
  }
}

/** Members of every module or object. */
const ALWAYS = /^(?:__\w+__|then|\*)$/

interface RuntimeUses {
  file: string
  language: keyof typeof RUNTIME_API
  names: readonly RuntimeName[]
}

function listUses(skill: LintedSkill): RuntimeUses[] {
  const python = listParsedPython(skill).map(({ file, facts }) => ({
    file,
    language: 'python' as const,
    names: hasOwnModule(skill) ? [] : listPythonNames(facts),
  }))
  const code = listParsedCode(skill)
  const defined = new Set(code.flatMap(({ facts }) => facts.definitions))
  const others = code.map(({ file, facts }) => ({
    file,
    language: facts.language === 'shell' ? ('shell' as const) : ('javascript' as const),
    names: facts.runtimeNames.filter(
      ({ module, name }) => module !== 'shell' || !defined.has(name),
    ),
  }))
  return [...python, ...others]
}

/** A file `runtime.py` of the skill has another finding. */
function hasOwnModule({ files }: LintedSkill): boolean {
  return files.some(({ path }) => /(?:^|\/)runtime(?:\.py)?$/.test(path))
}

/** Imported names, and calls through them. */
function listPythonNames({ imports, calls }: PythonFacts): RuntimeName[] {
  const ofRuntime = imports.filter(
    ({ module, level }) => level === 0 && /^runtime(?:\.|$)/.test(module),
  )
  if (ofRuntime.length === 0) return []
  const bindings = new Map(ofRuntime.map(bindImport))
  const imported = ofRuntime.flatMap(({ module, name, span }): RuntimeName[] => {
    const submodule = module.split('.')[1]
    if (name !== null) return [{ module, name, span }]
    return submodule === undefined ? [] : [{ module: 'runtime', name: submodule, span }]
  })
  return [...imported, ...calls.flatMap((call) => findCalledName(call, bindings))]
}

/** The local name of an import, and the module that it names. */
function bindImport({ module, name, alias }: PythonFacts['imports'][number]): [string, string] {
  if (name !== null) return [alias ?? name, `${module}.${name}`]
  return alias === null ? ['runtime', 'runtime'] : [alias, module]
}

function findCalledName(
  { name: called, span: { end } }: PythonFacts['calls'][number],
  bindings: ReadonlyMap<string, string>,
): RuntimeName[] {
  const [first = '', ...rest] = called.split('.')
  const bound = bindings.get(first)
  const name = rest.at(-1)
  if (bound === undefined || name === undefined) return []
  const module = [bound, ...rest.slice(0, -1)].join('.')
  // A method of a value is not a name of the runtime.
  if (!/^runtime(?:\.\w+)?$/.test(module)) return []
  return [{ module, name, span: { start: end - name.length, end } }]
}

/** The same name in the spelling of the language: `readText` in Python is `read_text`. */
function findOtherCase(name: string, known: readonly string[]): string | undefined {
  const plain = (text: string) => text.replaceAll('_', '').toLowerCase()
  return known.find((each) => plain(each) === plain(name))
}
