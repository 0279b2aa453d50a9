import { localHost } from '../../agent/local-host.ts'
import { createAgentSession, type AgentSession } from '../../agent/session.ts'
import type { Config } from '../../core/config/config.ts'
import type { RunCall } from '../../core/runs/run-call.ts'
import { openTestRuntime, type TestRuntime } from '../../testing/running/test-runtime.ts'
import { EVAL_TOOLS } from '../cases/tool-names.ts'

/** Variables of this process that runs of evals may know: paths and language, no credentials. */
const PASSED = /^(?:PATH|HOME|USER|LOGNAME|LANG|LC_[A-Z]+|TMPDIR|XDG_[A-Z_]+|DOCKER_HOST)$/

/** Services of one command of evals. */
export interface EvalRuntime {
  test: TestRuntime
  call: RunCall
  close(): Promise<void>
}

/**
 * Opens services that run a model's tool calls in sandboxes. The keys of providers stay in this
 * process: runs get no variable of it, and no secret.
 */
export function openEvalRuntime(
  config: Config,
  { roots, cwd, env }: { roots: readonly string[] } & Pick<RunCall, 'cwd' | 'env'>,
): EvalRuntime {
  const test = openTestRuntime({
    ...config,
    roots,
    run: { ...config.run, environment: [] },
    workspace: { ...config.workspace, sandbox: 'command' },
  })
  return {
    test,
    call: { cwd, env: selectPassedVariables(env), caller: { door: 'cli' } },
    close: async () => await test.close(),
  }
}

function selectPassedVariables(env: RunCall['env']): RunCall['env'] {
  return Object.fromEntries(Object.entries(env).filter(([name]) => PASSED.test(name)))
}

/** A conversation that sees some of the skills. */
export function openEvalSession(
  { test, call }: EvalRuntime,
  options: {
    id: string
    tools: readonly string[] | undefined
    env: Readonly<Record<string, string>>
    isVisible: (name: string) => boolean
  },
): AgentSession {
  const environment = () => ({ ...options.env })
  return createAgentSession({
    host: localHost(test.services, { call }),
    id: options.id,
    tools: options.tools ?? EVAL_TOOLS,
    environment,
    filter: ({ name }) => options.isVisible(name),
  })
}
