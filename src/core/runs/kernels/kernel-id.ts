import { refusedParam } from '../../../errors.ts'

const KERNEL_ID = /^[\w.:@-]{1,64}$/

/** Returns the id of a kernel, which its caller chooses. */
export function checkKernelId(id: string): string {
  if (KERNEL_ID.test(id)) return id
  const shown = id.length > 64 ? `${id.length} characters` : JSON.stringify(id)
  throw refusedParam(
    'kernel',
    `Expected 1 to 64 letters, digits and the characters _ . : @ - for the id of a kernel, got ${shown}`,
  )
}
