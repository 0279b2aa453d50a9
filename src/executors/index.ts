/// <reference types="node" preserve="true" />
export {
  containerExecutor,
  sandboxExecutor,
  type ContainerExecutorOptions,
  type SandboxExecutorOptions,
} from './sandbox-executor.ts'
export { remoteExecutor } from './remote-executor.ts'
export {
  checkExecutor,
  EXECUTOR_REQUIREMENTS,
  type CheckExecutorOptions,
  type ExecutorFinding,
} from './conformance/check-executor.ts'
export type { ExecutorNeed, ExecutorRequirement } from './conformance/requirement.ts'
export type {
  Executor,
  ExecutorCommand,
  ExecutorExit,
  ExecutorGuarantees,
  ExecutorLimit,
  ExecutorProcess,
} from '../core/sandbox/executor/executor.ts'
