// Another sandbox that wraps commands, if this machine can run it.

/** Returns the argv prefix that runs a command in it, or the reason why it cannot be compared. */
export async function openOtherSandbox(command) {
  try {
    const { SandboxManager } = await import('@anthropic-ai/sandbox-runtime')
    const nothing = { allowedDomains: [], deniedDomains: [] }
    const files = { denyRead: [], allowWrite: [], denyWrite: [] }
    await SandboxManager.initialize({ network: nothing, filesystem: files })
    const wrapped = await SandboxManager.wrapWithSandbox(command)
    return { run: ['/bin/sh', '-c', wrapped], close: async () => await SandboxManager.reset() }
  } catch (error) {
    return { problem: `sandbox-runtime is left out: ${error.message}` }
  }
}
