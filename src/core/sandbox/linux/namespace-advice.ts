import { readKernelSetting } from './choose-launcher.ts'

/** Fix for denied namespaces, by kernel settings. */
export function getNamespaceAdvice(): string {
  if (readKernelSetting('kernel.apparmor_restrict_unprivileged_userns') === '1')
    return APPARMOR_ADVICE
  if (readKernelSetting('kernel.unprivileged_userns_clone') === '0') {
    return 'Type: sudo sysctl -w kernel.unprivileged_userns_clone=1'
  }
  if (readKernelSetting('user.max_user_namespaces') === '0') {
    return 'Type: sudo sysctl -w user.max_user_namespaces=15000'
  }
  return 'Start the container with user namespaces allowed: --security-opt seccomp=unconfined --security-opt systempaths=unconfined'
}

/** The profile allows namespaces for bwrap only; the restriction remains for all other programs. */
const APPARMOR_ADVICE =
  'Type: sudo apt-get install -y bubblewrap apparmor-profiles && sudo ln -sf /usr/share/apparmor/extra-profiles/bwrap-userns-restrict /etc/apparmor.d/ && sudo apparmor_parser -r /etc/apparmor.d/bwrap-userns-restrict'
