// Written by scripts/generate/abis.ts from contracts/; do not edit.
/** The compiler, its settings, and the keccak256 of each source file of the contracts on public chains. */
export const contractSources = {
  compiler: "0.8.37+commit.f401782d",
  settings: {
    optimizer: { enabled: true, runs: 1000000 },
    evmVersion: "cancun",
    viaIR: true,
    metadata: { bytecodeHash: "none", appendCBOR: false },
    remappings: ["@openzeppelin/=node_modules/@openzeppelin/"],
    libraries: {},
  },
  contracts: {
    Escrow: {
      identifier: "contracts/src/Escrow.sol:Escrow",
      sources: {
        "contracts/src/Deposit.sol": "0x4e6cd4fd7e73b797b2ee9d6920f24bd8f4007d5e31eb10c377f9afa4f86e5760",
        "contracts/src/Escrow.sol": "0xe3051df32f209caaa4512f3fcf4b7a81fc2cb39b191b5e85fc2e7660d274c7c1",
        "node_modules/@openzeppelin/contracts/interfaces/IERC1271.sol":
          "0x66c7ec42c6c43712be2107a50ab4529379bc76a632b425babec698d9da921ac6",
        "node_modules/@openzeppelin/contracts/interfaces/IERC1363.sol":
          "0xd5ea07362ab630a6a3dee4285a74cf2377044ca2e4be472755ad64d7c5d4b69d",
        "node_modules/@openzeppelin/contracts/interfaces/IERC165.sol":
          "0x0afcb7e740d1537b252cb2676f600465ce6938398569f09ba1b9ca240dde2dfc",
        "node_modules/@openzeppelin/contracts/interfaces/IERC20.sol":
          "0x1a6221315ce0307746c2c4827c125d821ee796c74a676787762f4778671d4f44",
        "node_modules/@openzeppelin/contracts/interfaces/IERC20Metadata.sol":
          "0xd735962e3d6660884153ba8a972b5f100dde4c482f2ff1c525ba7fdefb154cbd",
        "node_modules/@openzeppelin/contracts/interfaces/IERC5267.sol":
          "0xfb223a85dd0b2175cfbbaa325a744e2cd74ecd17c3df2b77b0722f991d2725ee",
        "node_modules/@openzeppelin/contracts/interfaces/IERC7913.sol":
          "0xe5a126930df1d54e4a6dd5fea09010c4a7db0ea974c6c17a1e6082879f5a032b",
        "node_modules/@openzeppelin/contracts/interfaces/draft-IERC3009.sol":
          "0x0e5c2053c507b2cef1db5463627cc9e46d16a3308cb58f439a5c63b1cfd5b10e",
        "node_modules/@openzeppelin/contracts/proxy/Clones.sol":
          "0x5a1847c0c6b92d60711f04cba9eaff572ae1f657cff1b8ca4ba065bcdbd68d8b",
        "node_modules/@openzeppelin/contracts/token/ERC20/IERC20.sol":
          "0x74ed01eb66b923d0d0cfe3be84604ac04b76482a55f9dd655e1ef4d367f95bc2",
        "node_modules/@openzeppelin/contracts/token/ERC20/extensions/IERC20Metadata.sol":
          "0xd6fa4088198f04eef10c5bce8a2f4d60554b7ec4b987f684393c01bf79b94d9f",
        "node_modules/@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol":
          "0x318ea37780610ca7808852275651885d428669402b81488cb7434fde361e9704",
        "node_modules/@openzeppelin/contracts/utils/Address.sol":
          "0x0fa9e0d3a859900b5a46f70a03c73adf259603d5e05027a37fe0b45529d85346",
        "node_modules/@openzeppelin/contracts/utils/Bytes.sol":
          "0xa34f1a24f9138bd6bafa5b6cf5d513a45097266204caa1b3e5038e728bfe45b4",
        "node_modules/@openzeppelin/contracts/utils/Create2.sol":
          "0xe06ddfff69f3ba154d92102d9a85db2780e045303a587360cf12195216e851ca",
        "node_modules/@openzeppelin/contracts/utils/Errors.sol":
          "0x6afa713bfd42cf0f7656efa91201007ac465e42049d7de1d50753a373648c123",
        "node_modules/@openzeppelin/contracts/utils/LowLevelCall.sol":
          "0x6ba3db1346fc75a832aa6cd075e12f6f1fa172fa2122a020f324c319fe5be75e",
        "node_modules/@openzeppelin/contracts/utils/Panic.sol":
          "0xf7fe324703a64fc51702311dc51562d5cb1497734f074e4f483bfb6717572d7a",
        "node_modules/@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol":
          "0x8b95459390767d84c984d18faee298ce913e69cf0be8d2fe7785e2ad487ffed8",
        "node_modules/@openzeppelin/contracts/utils/ShortStrings.sol":
          "0x818c1d828c45953bff1ff6e2714d6d41f8f731f9fc3ed15005af0ac881510f30",
        "node_modules/@openzeppelin/contracts/utils/StorageSlot.sol":
          "0xcf74f855663ce2ae00ed8352666b7935f6cddea2932fdf2c3ecd30a9b1cd0e97",
        "node_modules/@openzeppelin/contracts/utils/Strings.sol":
          "0x1fdc2de9585ab0f1c417f02a873a2b6343cd64bb7ffec6b00ffa11a4a158d9e8",
        "node_modules/@openzeppelin/contracts/utils/TransientSlot.sol":
          "0xac673fa1e374d9e6107504af363333e3e5f6344d2e83faf57d9bfd41d77cc946",
        "node_modules/@openzeppelin/contracts/utils/cryptography/ECDSA.sol":
          "0x00de000d6004a92cb99f62dd6956c579551d805705122ef05fbd23bef039825b",
        "node_modules/@openzeppelin/contracts/utils/cryptography/EIP712.sol":
          "0xd52a80195641d334b966a1fc02714cda8921cc260d6a6a6943e622cf878236a8",
        "node_modules/@openzeppelin/contracts/utils/cryptography/MessageHashUtils.sol":
          "0x6d8579873b9650426bfbd2a754092d1725049ca05e4e3c8c2c82dd9f3453129d",
        "node_modules/@openzeppelin/contracts/utils/cryptography/SignatureChecker.sol":
          "0x2e1d7ed1e9e028f05cfddb7979f38557ae26732446e60fd5db1d17894a3da7a4",
        "node_modules/@openzeppelin/contracts/utils/introspection/IERC165.sol":
          "0x8891738ffe910f0cf2da09566928589bf5d63f4524dd734fd9cedbac3274dd5c",
        "node_modules/@openzeppelin/contracts/utils/math/Math.sol":
          "0x59973a93b1f983f94e10529f46ca46544a9fec2b5f56fb1390bbe9e0dc79f857",
        "node_modules/@openzeppelin/contracts/utils/math/SafeCast.sol":
          "0xc8cae21c9ae4a46e5162ff9bf5b351d6fa6a6eba72d515f3bc1bdfeda7fdf083",
        "node_modules/@openzeppelin/contracts/utils/math/SignedMath.sol":
          "0xb1970fac7b64e6c09611e6691791e848d5e3fe410fa5899e7df2e0afd77a99e3",
      },
    },
    Deposit: {
      identifier: "contracts/src/Deposit.sol:Deposit",
      sources: {
        "contracts/src/Deposit.sol": "0x4e6cd4fd7e73b797b2ee9d6920f24bd8f4007d5e31eb10c377f9afa4f86e5760",
        "node_modules/@openzeppelin/contracts/interfaces/IERC1363.sol":
          "0xd5ea07362ab630a6a3dee4285a74cf2377044ca2e4be472755ad64d7c5d4b69d",
        "node_modules/@openzeppelin/contracts/interfaces/IERC165.sol":
          "0x0afcb7e740d1537b252cb2676f600465ce6938398569f09ba1b9ca240dde2dfc",
        "node_modules/@openzeppelin/contracts/interfaces/IERC20.sol":
          "0x1a6221315ce0307746c2c4827c125d821ee796c74a676787762f4778671d4f44",
        "node_modules/@openzeppelin/contracts/interfaces/IERC20Metadata.sol":
          "0xd735962e3d6660884153ba8a972b5f100dde4c482f2ff1c525ba7fdefb154cbd",
        "node_modules/@openzeppelin/contracts/token/ERC20/IERC20.sol":
          "0x74ed01eb66b923d0d0cfe3be84604ac04b76482a55f9dd655e1ef4d367f95bc2",
        "node_modules/@openzeppelin/contracts/token/ERC20/extensions/IERC20Metadata.sol":
          "0xd6fa4088198f04eef10c5bce8a2f4d60554b7ec4b987f684393c01bf79b94d9f",
        "node_modules/@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol":
          "0x318ea37780610ca7808852275651885d428669402b81488cb7434fde361e9704",
        "node_modules/@openzeppelin/contracts/utils/Address.sol":
          "0x0fa9e0d3a859900b5a46f70a03c73adf259603d5e05027a37fe0b45529d85346",
        "node_modules/@openzeppelin/contracts/utils/Errors.sol":
          "0x6afa713bfd42cf0f7656efa91201007ac465e42049d7de1d50753a373648c123",
        "node_modules/@openzeppelin/contracts/utils/LowLevelCall.sol":
          "0x6ba3db1346fc75a832aa6cd075e12f6f1fa172fa2122a020f324c319fe5be75e",
        "node_modules/@openzeppelin/contracts/utils/introspection/IERC165.sol":
          "0x8891738ffe910f0cf2da09566928589bf5d63f4524dd734fd9cedbac3274dd5c",
      },
    },
    Anchors: {
      identifier: "contracts/src/Anchors.sol:Anchors",
      sources: {
        "contracts/src/Anchors.sol": "0xb1439b99c5cc629280a239d4eade7c45002f2b8c0db2113629507cccba6fe911",
      },
    },
    PasskeyAccountFactory: {
      identifier: "contracts/src/PasskeyAccountFactory.sol:PasskeyAccountFactory",
      sources: {
        "contracts/src/PasskeyAccount.sol":
          "0xe440a45e314ca85a7c54e8c80fa20dc630a6b0a9f0cf04c76d793ac74309020d",
        "contracts/src/PasskeyAccountFactory.sol":
          "0x4f7d98aea961d7713e74025512f47a48291be85b758beb0d1e1c847a3bf970ee",
        "node_modules/@openzeppelin/contracts/interfaces/IERC1271.sol":
          "0x66c7ec42c6c43712be2107a50ab4529379bc76a632b425babec698d9da921ac6",
        "node_modules/@openzeppelin/contracts/interfaces/IERC5267.sol":
          "0xfb223a85dd0b2175cfbbaa325a744e2cd74ecd17c3df2b77b0722f991d2725ee",
        "node_modules/@openzeppelin/contracts/proxy/Clones.sol":
          "0x5a1847c0c6b92d60711f04cba9eaff572ae1f657cff1b8ca4ba065bcdbd68d8b",
        "node_modules/@openzeppelin/contracts/token/ERC721/IERC721Receiver.sol":
          "0x88cd5e3bee2e8c36b8d9058fbcaa81ad5704281b25634122234b55ea853d8055",
        "node_modules/@openzeppelin/contracts/token/ERC721/utils/ERC721Holder.sol":
          "0x33656a25fdb287ade5fed13274e8512dddcb54758702f4360c59ce4c9138c3fa",
        "node_modules/@openzeppelin/contracts/utils/Base64.sol":
          "0xe802369c4d2d254590d371eca16c8d247d7e0782ad2faaaa0180159ea8e736af",
        "node_modules/@openzeppelin/contracts/utils/Bytes.sol":
          "0xa34f1a24f9138bd6bafa5b6cf5d513a45097266204caa1b3e5038e728bfe45b4",
        "node_modules/@openzeppelin/contracts/utils/Create2.sol":
          "0xe06ddfff69f3ba154d92102d9a85db2780e045303a587360cf12195216e851ca",
        "node_modules/@openzeppelin/contracts/utils/Errors.sol":
          "0x6afa713bfd42cf0f7656efa91201007ac465e42049d7de1d50753a373648c123",
        "node_modules/@openzeppelin/contracts/utils/LowLevelCall.sol":
          "0x6ba3db1346fc75a832aa6cd075e12f6f1fa172fa2122a020f324c319fe5be75e",
        "node_modules/@openzeppelin/contracts/utils/Panic.sol":
          "0xf7fe324703a64fc51702311dc51562d5cb1497734f074e4f483bfb6717572d7a",
        "node_modules/@openzeppelin/contracts/utils/ShortStrings.sol":
          "0x818c1d828c45953bff1ff6e2714d6d41f8f731f9fc3ed15005af0ac881510f30",
        "node_modules/@openzeppelin/contracts/utils/StorageSlot.sol":
          "0xcf74f855663ce2ae00ed8352666b7935f6cddea2932fdf2c3ecd30a9b1cd0e97",
        "node_modules/@openzeppelin/contracts/utils/Strings.sol":
          "0x1fdc2de9585ab0f1c417f02a873a2b6343cd64bb7ffec6b00ffa11a4a158d9e8",
        "node_modules/@openzeppelin/contracts/utils/cryptography/EIP712.sol":
          "0xd52a80195641d334b966a1fc02714cda8921cc260d6a6a6943e622cf878236a8",
        "node_modules/@openzeppelin/contracts/utils/cryptography/MessageHashUtils.sol":
          "0x6d8579873b9650426bfbd2a754092d1725049ca05e4e3c8c2c82dd9f3453129d",
        "node_modules/@openzeppelin/contracts/utils/cryptography/P256.sol":
          "0x50eda7e302738787e7a791cddcddab11bd7a4784ccac7c62f7b2d5c951b2106c",
        "node_modules/@openzeppelin/contracts/utils/cryptography/WebAuthn.sol":
          "0x09088461156848cee02226c06831a19f26b825461cb1e8cb27c061d644c3b1fe",
        "node_modules/@openzeppelin/contracts/utils/cryptography/signers/AbstractSigner.sol":
          "0x2e803d54b627d8ce2841c39e973f499be029a706f7157aee74adb648a27ecda9",
        "node_modules/@openzeppelin/contracts/utils/cryptography/signers/SignerP256.sol":
          "0x7e607ba81c6c81698a84eb474dbc562b3b03e696656cf7480372988420bbe15c",
        "node_modules/@openzeppelin/contracts/utils/cryptography/signers/SignerWebAuthn.sol":
          "0x98c1eb3b3afe5139636cf8e465cf8d723a0d87ae01ab6697ffcc506a956d8bef",
        "node_modules/@openzeppelin/contracts/utils/math/Math.sol":
          "0x59973a93b1f983f94e10529f46ca46544a9fec2b5f56fb1390bbe9e0dc79f857",
        "node_modules/@openzeppelin/contracts/utils/math/SafeCast.sol":
          "0xc8cae21c9ae4a46e5162ff9bf5b351d6fa6a6eba72d515f3bc1bdfeda7fdf083",
        "node_modules/@openzeppelin/contracts/utils/math/SignedMath.sol":
          "0xb1970fac7b64e6c09611e6691791e848d5e3fe410fa5899e7df2e0afd77a99e3",
      },
    },
    PasskeyAccount: {
      identifier: "contracts/src/PasskeyAccount.sol:PasskeyAccount",
      sources: {
        "contracts/src/PasskeyAccount.sol":
          "0xe440a45e314ca85a7c54e8c80fa20dc630a6b0a9f0cf04c76d793ac74309020d",
        "node_modules/@openzeppelin/contracts/interfaces/IERC1271.sol":
          "0x66c7ec42c6c43712be2107a50ab4529379bc76a632b425babec698d9da921ac6",
        "node_modules/@openzeppelin/contracts/interfaces/IERC5267.sol":
          "0xfb223a85dd0b2175cfbbaa325a744e2cd74ecd17c3df2b77b0722f991d2725ee",
        "node_modules/@openzeppelin/contracts/proxy/Clones.sol":
          "0x5a1847c0c6b92d60711f04cba9eaff572ae1f657cff1b8ca4ba065bcdbd68d8b",
        "node_modules/@openzeppelin/contracts/token/ERC721/IERC721Receiver.sol":
          "0x88cd5e3bee2e8c36b8d9058fbcaa81ad5704281b25634122234b55ea853d8055",
        "node_modules/@openzeppelin/contracts/token/ERC721/utils/ERC721Holder.sol":
          "0x33656a25fdb287ade5fed13274e8512dddcb54758702f4360c59ce4c9138c3fa",
        "node_modules/@openzeppelin/contracts/utils/Base64.sol":
          "0xe802369c4d2d254590d371eca16c8d247d7e0782ad2faaaa0180159ea8e736af",
        "node_modules/@openzeppelin/contracts/utils/Bytes.sol":
          "0xa34f1a24f9138bd6bafa5b6cf5d513a45097266204caa1b3e5038e728bfe45b4",
        "node_modules/@openzeppelin/contracts/utils/Create2.sol":
          "0xe06ddfff69f3ba154d92102d9a85db2780e045303a587360cf12195216e851ca",
        "node_modules/@openzeppelin/contracts/utils/Errors.sol":
          "0x6afa713bfd42cf0f7656efa91201007ac465e42049d7de1d50753a373648c123",
        "node_modules/@openzeppelin/contracts/utils/LowLevelCall.sol":
          "0x6ba3db1346fc75a832aa6cd075e12f6f1fa172fa2122a020f324c319fe5be75e",
        "node_modules/@openzeppelin/contracts/utils/Panic.sol":
          "0xf7fe324703a64fc51702311dc51562d5cb1497734f074e4f483bfb6717572d7a",
        "node_modules/@openzeppelin/contracts/utils/ShortStrings.sol":
          "0x818c1d828c45953bff1ff6e2714d6d41f8f731f9fc3ed15005af0ac881510f30",
        "node_modules/@openzeppelin/contracts/utils/StorageSlot.sol":
          "0xcf74f855663ce2ae00ed8352666b7935f6cddea2932fdf2c3ecd30a9b1cd0e97",
        "node_modules/@openzeppelin/contracts/utils/Strings.sol":
          "0x1fdc2de9585ab0f1c417f02a873a2b6343cd64bb7ffec6b00ffa11a4a158d9e8",
        "node_modules/@openzeppelin/contracts/utils/cryptography/EIP712.sol":
          "0xd52a80195641d334b966a1fc02714cda8921cc260d6a6a6943e622cf878236a8",
        "node_modules/@openzeppelin/contracts/utils/cryptography/MessageHashUtils.sol":
          "0x6d8579873b9650426bfbd2a754092d1725049ca05e4e3c8c2c82dd9f3453129d",
        "node_modules/@openzeppelin/contracts/utils/cryptography/P256.sol":
          "0x50eda7e302738787e7a791cddcddab11bd7a4784ccac7c62f7b2d5c951b2106c",
        "node_modules/@openzeppelin/contracts/utils/cryptography/WebAuthn.sol":
          "0x09088461156848cee02226c06831a19f26b825461cb1e8cb27c061d644c3b1fe",
        "node_modules/@openzeppelin/contracts/utils/cryptography/signers/AbstractSigner.sol":
          "0x2e803d54b627d8ce2841c39e973f499be029a706f7157aee74adb648a27ecda9",
        "node_modules/@openzeppelin/contracts/utils/cryptography/signers/SignerP256.sol":
          "0x7e607ba81c6c81698a84eb474dbc562b3b03e696656cf7480372988420bbe15c",
        "node_modules/@openzeppelin/contracts/utils/cryptography/signers/SignerWebAuthn.sol":
          "0x98c1eb3b3afe5139636cf8e465cf8d723a0d87ae01ab6697ffcc506a956d8bef",
        "node_modules/@openzeppelin/contracts/utils/math/Math.sol":
          "0x59973a93b1f983f94e10529f46ca46544a9fec2b5f56fb1390bbe9e0dc79f857",
        "node_modules/@openzeppelin/contracts/utils/math/SafeCast.sol":
          "0xc8cae21c9ae4a46e5162ff9bf5b351d6fa6a6eba72d515f3bc1bdfeda7fdf083",
        "node_modules/@openzeppelin/contracts/utils/math/SignedMath.sol":
          "0xb1970fac7b64e6c09611e6691791e848d5e3fe410fa5899e7df2e0afd77a99e3",
      },
    },
  },
} as const;
