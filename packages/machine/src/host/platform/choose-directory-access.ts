import { checkedDirectories } from './checked-directories.js';
import { canWalkByDescriptor, descriptorDirectories } from './descriptor-directories.js';
import type { DirectoryAccess } from './directory-access.js';

export function chooseDirectoryAccess(platform: NodeJS.Platform = process.platform): DirectoryAccess {
  return platform === 'linux' && canWalkByDescriptor() ? descriptorDirectories : checkedDirectories;
}
