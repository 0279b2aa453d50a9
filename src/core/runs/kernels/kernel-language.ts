/** Languages whose interpreter can keep variables between cells. */
export const KERNEL_LANGUAGES = ['python', 'node'] as const
export type KernelLanguage = (typeof KERNEL_LANGUAGES)[number]

export function isKernelLanguage(name: string): name is KernelLanguage {
  return (KERNEL_LANGUAGES as readonly string[]).includes(name)
}
