import type { StreamName } from '../outputs/store/output-store.ts'
import { openOutputView } from '../outputs/view/open-output-view.ts'
import { performProgram } from '../runs/perform-program.ts'
import type { Permit } from '../runs/permit.ts'
import type { ProgramSinks } from '../runs/program-plan.ts'
import type { RunCall } from '../runs/run-call.ts'
import type { Services } from '../services.ts'
import type { Performed } from './answer.ts'
import { compile } from './compile.ts'
import {
  DEFAULT_CONTEXT_LINES,
  DEFAULT_RESPONSE_LINES,
  type ExecuteParams,
} from './execute-params.ts'
import { BUILD, placeOf, REPOSITORY, type Execution } from './execution.ts'
import type { Phases } from './phases.ts'
import { programPlan } from './program-of.ts'

export interface PerformOptions {
  execution: Execution
  permit: Permit
  phases: Phases
  call: RunCall
}

/** Compiles where that is needed, then runs; each in a sandbox and with a time of its own. */
export async function perform(
  services: Services,
  { execution, permit, phases, call }: PerformOptions,
): Promise<Performed> {
  const { params, place } = execution
  const keepsOutput = params.persistOutput !== false
  const known = { execution, permit, phases }
  const compiling = watchOutput(execution, call.onOutput)
  const built = await phases.time('compile', async () =>
    compile(services, execution, { call, permit, sinks: compiling.sinks, keepsOutput }),
  )
  if (built && 'outcome' in built) {
    const { outcome } = built
    return { ...known, ...compiling.end(outcome), outcome, phase: 'compile', compileMs: undefined }
  }
  const running = watchOutput(execution, call.onOutput)
  try {
    const { timeoutMs, outputBytes } = permit.verdict.limits
    const plan = programPlan(execution, {
      phase: 'execute',
      argv: commandOf(execution),
      stdin: params.stdin === undefined ? 'none' : Buffer.from(params.stdin),
      repository: place.repository?.mode,
      limits: { wallMs: timeoutMs, outputBytes },
      tools: built ? [{ source: built.folder, target: BUILD }] : [],
      sinks: running.sinks,
      keepsOutput,
    })
    const outcome = await phases.time('execute', async () => performProgram(services, plan, call))
    const compileMs = built?.durationMs
    return { ...known, ...running.end(outcome), outcome, phase: 'execute', compileMs }
  } finally {
    built?.release()
  }
}

/** The words of what is run: code with its arguments, or a program with them. */
function commandOf(execution: Execution): string[] {
  const { params, inline, resolved } = execution
  const { args = [] } = params
  const at = placeOf(execution, BUILD)
  if (inline) return [...inline.run(at), ...args]
  const { program, direct } = resolved.candidate
  return [at.program(program), ...(direct ? direct(args) : args)]
}

/** What the answer shows of one phase. */
function watchOutput(execution: Execution, onOutput: RunCall['onOutput']) {
  const view = openOutputView(viewOptions(execution))
  const taken = { stdout: 0, stderr: 0 }
  const last: Record<StreamName, Buffer> = { stdout: NOTHING, stderr: NOTHING }
  const take = (stream: 'stdout' | 'stderr') => async (chunk: Buffer) => {
    taken[stream] += chunk.length
    last[stream] = endOf(last[stream], chunk)
    view.push(stream, chunk)
    await onOutput?.(stream, chunk)
  }
  const sinks: ProgramSinks = { stdout: take('stdout'), stderr: take('stderr') }
  return {
    sinks,
    end: (how: { exitCode: number | null }) => ({
      shown: view.end(how),
      taken,
      lastWords: `${last.stdout.toString()}\n${last.stderr.toString()}`,
    }),
  }
}

const NOTHING: Buffer = Buffer.alloc(0)
const LAST_BYTES = 8192

/** The end of a stream, in memory of its own. */
function endOf(before: Buffer, chunk: Buffer): Buffer {
  const all =
    chunk.length < LAST_BYTES
      ? Buffer.concat([before, chunk])
      : Buffer.from(chunk.subarray(-LAST_BYTES))
  return all.subarray(-LAST_BYTES)
}

function viewOptions(execution: Execution): Parameters<typeof openOutputView>[0] {
  const { params, place } = execution
  return {
    mode: params.outputMode ?? 'minimal',
    maxLines: params.maxResponseLines ?? DEFAULT_RESPONSE_LINES,
    queryTerms: params.queryTerms ?? [],
    contextLines: params.contextLines ?? DEFAULT_CONTEXT_LINES,
    command: describeCommand(params, execution),
    root: place.repository ? REPOSITORY : undefined,
  }
}

/** By this the parser of a digest is chosen. */
function describeCommand({ args = [], code = '' }: ExecuteParams, { resolved }: Execution): string {
  const [firstLine = ''] = code.trimStart().split('\n', 1)
  return [resolved.candidate.program, ...args, firstLine].join(' ')
}
