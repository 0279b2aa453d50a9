import { readSkillSource } from '../../core/skills/manifest/read-source.ts'
import { toManifest } from '../../core/skills/manifest/to-manifest.ts'
import type { PlainObject } from '../../core/skills/manifest/manifest.ts'
import type { SkillEntry } from '../../core/skills/repository/repository.ts'
import type { CaseRecord, WorkspaceChanges } from '../../core/testing/expectations/case-record.ts'
import type { CaseCoverage } from '../kinds/case-performer.ts'
import { isTable } from '../../core/testing/document/field.ts'
import { listToolCalls } from '../../core/testing/expectations/conversation/record.ts'
import type { TestCase } from '../../core/testing/suites/suite.ts'
import { computeCodeCoverage, type CollectedRuns } from './code-coverage.ts'
import type { SkillCoverage } from './coverage-report.ts'
import { COVERAGE_FOLDER, FUNCTION_TRACER, PROCESS_TRACER } from './python-tracer.ts'
import { readRawCoverage } from './raw-coverage.ts'
import { computeSurfaceCoverage, type UsedSurface } from './surface-coverage.ts'

const PYTHON_FOLDER = `${COVERAGE_FOLDER}/python`

/** Variables that make all processes of a run record their lines. */
const COVERAGE_ENVIRONMENT = {
  NODE_V8_COVERAGE: `/workspace/${COVERAGE_FOLDER}`,
  PYTHONPATH: `/workspace/${PYTHON_FOLDER}`,
}

interface CollectedSkill {
  entry: SkillEntry
  runs: CollectedRuns
  cases: UsedSurface[]
}

/** Collects the coverage of all cases of a test run. */
export class CoverageCollector {
  readonly environment: Readonly<Record<string, string>> = COVERAGE_ENVIRONMENT
  readonly #skills = new Map<string, CollectedSkill>()

  /** Adds the files that a case needs to record its lines. */
  addFiles(testCase: TestCase): TestCase {
    const path = `${PYTHON_FOLDER}/sitecustomize.py`
    return { ...testCase, files: new Map([...testCase.files, [path, { bytes: Buffer.from(PROCESS_TRACER), isProgram: false }]]) }
  }

  openCase(entry: SkillEntry): CaseCoverage {
    const { runs } = this.#select(entry)
    return {
      trace: FUNCTION_TRACER,
      readWorkspace(folder) {
        const { python, scripts } = readRawCoverage(folder)
        runs.python.push(...python)
        runs.scripts.push(...scripts)
      },
    }
  }

  /** Adds the facts of a run, and removes the files of coverage from its record. */
  closeCase(entry: SkillEntry, testCase: TestCase, record: CaseRecord): CaseRecord {
    this.#select(entry).cases.push({
      calls: listFunctionCalls(entry, testCase),
      secrets: [...testCase.secrets.keys()],
      network: record.network,
      isFailed: record.status !== 'completed' || hasFailedCall(record),
    })
    return { ...record, files: hideCoverageFiles(record.files) }
  }

  async finish(): Promise<SkillCoverage[]> {
    const result: SkillCoverage[] = []
    for (const { entry, runs, cases } of this.#skills.values()) {
      const source = readSkillSource(entry.dir)
      result.push({
        skill: entry.name,
        folder: entry.dir,
        files: await computeCodeCoverage(entry, runs),
        surface: computeSurfaceCoverage(
          { markdown: source.markdown, manifest: toManifest(source).manifest },
          cases,
        ),
      })
    }
    return result
  }

  #select(entry: SkillEntry): CollectedSkill {
    const known = this.#skills.get(entry.dir)
    if (known) return known
    const created: CollectedSkill = { entry, runs: { python: [], scripts: [] }, cases: [] }
    this.#skills.set(entry.dir, created)
    return created
  }
}

function hideCoverageFiles(files: WorkspaceChanges): WorkspaceChanges {
  const select = (paths: readonly string[]) =>
    paths.filter((path) => !path.startsWith(`${COVERAGE_FOLDER}/`))
  const { created, changed, deleted, untouched } = files
  return {
    ...files,
    created: select(created),
    changed: select(changed),
    deleted: select(deleted),
    untouched: select(untouched),
  }
}

/** Arguments of the calls of a skill's function, also those by a tool. */
function listFunctionCalls({ name }: SkillEntry, { action, blobs }: TestCase): PlainObject[] {
  if (action.kind === 'skill') return [{ ...action.args, ...Object.fromEntries(blobs) }]
  if (action.kind !== 'conversation') return []
  return action.turns
    .flatMap(({ calls }) => calls)
    .filter(({ tool, args }) => tool === 'execute_skill' && args['name'] === name)
    .map(({ args }) => (isTable(args['args']) ? args['args'] : {}))
}

function hasFailedCall({ conversation }: CaseRecord): boolean {
  if (!conversation) return false
  return listToolCalls(conversation).some(
    ({ tool, value }) => tool === 'execute_skill' && isTable(value) && value['status'] === 'failed',
  )
}
