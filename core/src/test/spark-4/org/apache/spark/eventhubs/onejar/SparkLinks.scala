package org.apache.spark.eventhubs.onejar

import scala.jdk.CollectionConverters._

import org.apache.xbean.asm9.tree._
import org.apache.xbean.asm9.{Handle, Opcodes, Type}

/** Finds the Spark classes and members that a class of the connector uses and that a Spark version lacks. */
private[onejar] final class SparkLinks(classes: ClassFiles) {

  /** One line for each missing class, method or field. */
  def missing(node: ClassNode): Seq[String] = {
    val types = node.superName +: node.interfaces.asScala.toSeq ++:
      (node.methods.asScala.flatMap(method => namesIn(Type.getMethodType(method.desc))) ++
        node.fields.asScala.flatMap(field => namesIn(Type.getType(field.desc)))).toSeq
    val instructions = node.methods.asScala.toSeq.flatMap(_.instructions.asScala)
    val found = types.flatMap(missingType) ++ instructions.flatMap(missingIn) ++ unimplemented(node)
    found.distinct.map(what => s"${node.name.replace('/', '.')}: $what")
  }

  private def missingIn(instruction: AbstractInsnNode): Seq[String] = instruction match {
    case call: MethodInsnNode => missingMember(call.owner, call.name, call.desc)
    case access: FieldInsnNode => missingMember(access.owner, access.name, access.desc)
    case use: TypeInsnNode => namesIn(Type.getObjectType(use.desc)).flatMap(missingType)
    case lambda: InvokeDynamicInsnNode =>
      lambda.bsmArgs.toSeq.collect { case handle: Handle =>
        missingMember(handle.getOwner, handle.getName, handle.getDesc)
      }.flatten
    case _ => Nil
  }

  private def missingType(name: String): Option[String] =
    Option.when(isSpark(name) && classes.get(name).isEmpty)(s"there is no ${name.replace('/', '.')}")

  private def missingMember(owner: String, name: String, desc: String): Seq[String] =
    if (!isSpark(owner)) Nil
    else
      missingType(owner).orElse {
        val there = classes.lineage(owner).exists { node =>
          node.methods.asScala.exists(method => method.name == name && method.desc == desc) ||
          node.fields.asScala.exists(field => field.name == name && field.desc == desc)
        }
        Option.when(!there)(s"${owner.replace('/', '.')} has no $name$desc")
      }.toSeq

  /** Abstract methods of Spark that the class does not implement. */
  private def unimplemented(node: ClassNode): Seq[String] = {
    def isAbstract(access: Int) = (access & Opcodes.ACC_ABSTRACT) != 0
    if (isAbstract(node.access)) Nil
    else {
      val (open, written) = classes.lineage(node.name).flatMap(each => each.methods.asScala.map(each -> _))
        .partition { case (_, method) => isAbstract(method.access) }
      val known = written.map { case (_, method) => (method.name, method.desc) }.toSet
      open.collect {
        case (each, method) if each.name.startsWith("org/apache/spark/") && !known((method.name, method.desc)) =>
          s"does not implement ${each.name.replace('/', '.')}.${method.name}${method.desc}"
      }
    }
  }

  /** Includes the connector's classes, because they may inherit members from Spark. */
  private def isSpark(name: String): Boolean = name.startsWith("org/apache/spark/")

  private def namesIn(described: Type): Seq[String] = described.getSort match {
    case Type.METHOD => namesIn(described.getReturnType) ++ described.getArgumentTypes.flatMap(namesIn)
    case Type.ARRAY => namesIn(described.getElementType)
    case Type.OBJECT => Seq(described.getInternalName)
    case _ => Nil
  }
}
